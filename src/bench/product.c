#include "bench/product.h"

double sn_bench_product_bytes(const sn_operator *op, size_t real, double *reals_alone)
{
    enum { PASSES_OVER_NODES = 4 };
    const sn_octree *tree = op->tree;
    const sn_assembly *a = &op->assembly;
    sn_octree_counts counts = sn_octree_count(tree);
    double stiffness = (double)sn_operator_element_reals(op);
    double nodes = (double)counts.nodes / (double)counts.elements;
    *reals_alone = (double)real * (stiffness + PASSES_OVER_NODES * SN_NODE_REALS * nodes);
    size_t topology =
        sizeof *a->order + sizeof *tree->conforming + sizeof *tree->hanging + sizeof *a->child;
    return *reals_alone + (double)topology + (double)sizeof *a->seam_group / SN_GROUP;
}
